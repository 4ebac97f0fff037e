part-init:
  test.nop: []
