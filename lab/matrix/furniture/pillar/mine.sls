mine_functions:
  whoami:
    - mine_function: grains.get
    - id
