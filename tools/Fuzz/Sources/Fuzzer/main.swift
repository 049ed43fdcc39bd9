import Foundation
import Harnesses

// `fuzzer NAME [options and folders of libFuzzer]`: the harness is named first, all else goes to libFuzzer. `fuzzer
// --list` names all. A pointer file: libFuzzer speaks C.

@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

guard let chosen = ChosenHarness.harness else {
  print(Harness.all.map(\.name).joined(separator: "\n"))
  exit(ChosenHarness.name == "--list" ? 0 : 64)
}

// `fuzzer NAME --taken FILES`: which of them the reader takes, to see what a seed is worth.
if CommandLine.arguments.dropFirst(2).first == "--taken" {
  for path in CommandLine.arguments.dropFirst(3) {
    let isTaken = try chosen.run(Array(try Data(contentsOf: URL(filePath: path))))
    print(isTaken ? "taken  " : "refused", path)
  }
  exit(0)
}

let options = ["fuzzer", "-max_len=\(chosen.maximumByteCount)"] + CommandLine.arguments.dropFirst(2)
let arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: options.count + 1)
for (index, option) in options.enumerated() { arguments[index] = strdup(option) }
arguments[options.count] = nil
var (count, list) = (CInt(options.count), arguments)
let status = runDriver(&count, &list) { start, count in
  do {
    _ = try ChosenHarness.harness?.run(Array(UnsafeBufferPointer(start: start, count: count)))
  } catch {
    fatalError("\(error)")
  }
  return 0
}
exit(status)
