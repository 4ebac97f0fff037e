package daemons

// serviceName is the name of the service of a minion on Windows, as Salt's.
const serviceName = "salt-minion"

// serviceActions are the values of the option --service.
var serviceActions = []string{"install", "remove", "start", "stop", "run"}
