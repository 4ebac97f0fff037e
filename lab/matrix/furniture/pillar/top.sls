base:
  '*':
    - tool
    - mine
  'G@kernel:Linux':
    - match: compound
    - linux
