module github.com/momtree/mom/lab

go 1.26.0

replace github.com/momtree/mom => ..

require github.com/momtree/mom v0.0.0
