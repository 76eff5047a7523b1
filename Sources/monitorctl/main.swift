print("monitorctl")
