max_wait = 1
