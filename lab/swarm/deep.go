package swarm

import "runtime"

// shallow is how many goroutines may need a deep stack at once.
var shallow = make(chan struct{}, max(4, 2*runtime.GOMAXPROCS(0)))

// deep runs f on the stack of another goroutine. Cryptography and codecs need some
// 8 KB of it, which a goroutine that then waits for the network would keep: of those
// there are two for each minion.
func deep(f func()) {
	shallow <- struct{}{}
	done := make(chan struct{})
	go func() {
		defer func() {
			<-shallow
			close(done)
		}()
		f()
	}()
	<-done
}

// beside runs f on the stack of another goroutine, as deep does, however many there are: f
// may wait for the network.
func beside(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}
