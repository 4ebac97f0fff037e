part-other:
  test.nop: [{order: last}]
