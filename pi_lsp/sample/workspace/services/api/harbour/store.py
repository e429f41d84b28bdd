"""All SQL of the API."""

FIND_OVERLAPPING = """
    select id from booking
    where berth = %(berth)s
      and arrival < %(departure)s
      and departure > %(arrival)s
"""
