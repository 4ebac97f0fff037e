// Package wheels holds the functions that change the master itself from afar, as Salt's
// wheel modules do: those that handle keys. A file enters its functions when the program
// starts; nothing else has to know of it.
package wheels
