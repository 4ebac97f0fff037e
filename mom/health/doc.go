// Package health is the command mom health: it asks a daemon on its event bus how it
// is and gives the answer as an exit code. The daemons answer by [daemon.AnswerHealth].
package health
