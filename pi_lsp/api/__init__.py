"""One plain function for each pi/ method, and the wire types; every face calls these."""
