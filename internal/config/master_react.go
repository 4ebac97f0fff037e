package config

// MasterReact holds reactor and schedule, see docs/guide/reactor.md and docs/guide/schedule.md.
type MasterReact struct {
	// Reactor is a list of SLS files per event tag, `{TAG: [FILE, ...]}`, or a file with that list.
	Reactor Reactors `yaml:"reactor"`
	// ReactorWorkerThreads is the number of runner, wheel and caller reactions that run at once.
	ReactorWorkerThreads int `yaml:"reactor_worker_threads" default:"10" min:"1" max:"1000"`
	// ReactorWorkerHwm is the number of reactions that may wait for reactor_worker_threads. Further
	// ones are dropped and logged.
	ReactorWorkerHwm int `yaml:"reactor_worker_hwm" default:"10000" min:"1" max:"1000000"`
	// Schedule is a map of runners that the master runs on a schedule.
	Schedule map[string]any `yaml:"schedule"`
}
