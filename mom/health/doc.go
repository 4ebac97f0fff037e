// Package health is the command mom health: it asks a daemon on its event bus how it
// is and gives the answer as an exit code. The daemons' side of that question is here
// too, so that both ends of it stand side by side.
package health
