# The three formulas, given out by role as the pillar has it.
base:
  '*':
    - users
  'roles:web':
    - match: pillar
    - nginx
  'I@roles:batch and G@kernel:Linux':
    - match: compound
    - cron
    - cron.tree
    - cron.handlers
