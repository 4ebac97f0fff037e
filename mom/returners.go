package main

// The returners this binary knows; each registers itself by its name.
import (
	_ "github.com/momtree/mom/returners/mysql"
	_ "github.com/momtree/mom/returners/sqlite"
)
