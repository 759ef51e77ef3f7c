"""The cage's own side in Python. Tools use the module `satchel` instead; nothing here is for them."""
