"""The HTML report: the page with its data, and the server that follows a cache."""
