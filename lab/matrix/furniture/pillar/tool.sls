who: {{ grains['id'] }} of MASTER
tool:
  lookup:
    root: OUT/{{ grains['id'] }}/tool
    port: 8443
  users: [ann, bob]
