"""The HTML report: its data, the page around them, and the server that follows a cache."""
