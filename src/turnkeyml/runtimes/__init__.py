"""Devices and runtimes: one folder per device, one file per runtime."""
