linux: {deep: [1, 2.5, null]}
