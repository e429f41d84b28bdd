alter table booking
    add constraint booking_is_an_interval check (arrival < departure);
