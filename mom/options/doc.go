// Package options reads command lines as Salt's commands do, which is the way of
// Python's optparse: options and arguments may be mixed, `--` ends the options,
// short ones may be joined (-vs, -t5), and long ones may be cut short as long as
// they stay unambiguous (--stat for --static). The texts of its errors are those
// users of Salt know.
//
// One thing is different on purpose: a word such as -1 or -.5 is an argument, so
// that numbers can be written as they are. No option begins with a digit.
package options
