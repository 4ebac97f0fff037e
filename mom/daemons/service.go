package daemons

// serviceActions are the values of the option --service.
var serviceActions = []string{"install", "remove", "start", "stop", "run"}
