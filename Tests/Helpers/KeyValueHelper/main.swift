import Foundation
import RecordStore
import Tandem

// A program beside the tests' own that shares a suite: `<store folder> set <key> <text>`, `… increment <key> <times>`.
// `tour` plays the code of an article.
let arguments = CommandLine.arguments
if arguments[1] == "tour" {
  try playTour()
  try playProperties()
  exit(0)
}
let configuration = StoreConfiguration(url: URL(fileURLWithPath: arguments[1]), durability: .relaxed)
let settings = try KeyValueStore(suiteName: "test", configuration: configuration)
switch arguments[2] {
case "set": try settings.set(arguments[4], forKey: arguments[3])
case "increment":
  for _ in 0..<(Int(arguments[4]) ?? 0) {
    try settings.update(arguments[3]) { .integer(($0?.integerValue ?? 0) + 1) }
  }
default: exit(64)
}
print("done")
