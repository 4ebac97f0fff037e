// Package hostsfile edits the file that gives names to addresses (/etc/hosts), as the
// execution module hosts and the state host do. It works on texts alone: it opens no
// file. The package promises that lines it does not understand, and those of other
// addresses, stay, unless a function says that it writes the file anew as Salt does.
package hostsfile
