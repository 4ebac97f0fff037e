plain:
  file.managed:
    - name: OUT/{{ grains['id'] }}/plain.txt
    - source: salt://plain.txt
    - makedirs: True
