// Package logthrottle thins out log lines that would say the same again and again.
package logthrottle
