package main

// The returners this program knows; each registers itself by its name.
import (
	_ "github.com/momtree/mom/returners/kafka"
	_ "github.com/momtree/mom/returners/mysql"
	_ "github.com/momtree/mom/returners/nats"
	_ "github.com/momtree/mom/returners/postgres"
	_ "github.com/momtree/mom/returners/rawfile"
	_ "github.com/momtree/mom/returners/redis"
)
