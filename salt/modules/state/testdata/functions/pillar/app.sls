{
 "app": {
  "text": "of the\npillar\n",
  "other": "second",
  "list": [
   "one",
   2
  ],
  "null": null,
  "empty": "",
  "number": 7
 }
}
