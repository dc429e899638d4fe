"""Many requests at once: send them, trace the answers, and find the rate that can be kept up."""
