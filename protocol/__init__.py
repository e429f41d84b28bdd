"""The contract with the clients: its schema, recorded exchanges, and what generates both."""
