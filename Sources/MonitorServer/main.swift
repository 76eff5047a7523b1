print("monitor-server")
