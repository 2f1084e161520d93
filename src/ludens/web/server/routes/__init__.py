"""What can be asked of the server, by the sections of the page."""
