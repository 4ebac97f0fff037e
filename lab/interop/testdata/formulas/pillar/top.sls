base:
  '*':
    - common
    - users
  'kernel:Linux':
    - match: grain
    - nginx
  'leaf*':
    - cron
    - order: 5
