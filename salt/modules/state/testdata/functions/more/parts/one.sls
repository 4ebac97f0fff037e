include: [.two]
part-one:
  test.nop: []
