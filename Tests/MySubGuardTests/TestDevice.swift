import Foundation
import RecordStore
import Testing

/// A device directory in the temporary folder, and the main program on it.
struct TestDevice {
  let url: URL
  /// The value of `LC_ALL` for the main program.
  var language = "C"

  func run(_ arguments: String...) throws -> ProgramRun { try run(arguments) }

  func run(_ arguments: [String]) throws -> ProgramRun {
    let location = arguments.first.map { $0.hasPrefix("-") } == true ? [] : ["--device", url.path]
    return try ProgramRun("mysubguard", arguments + location, in: url, language: language)
  }

  func startWidget(_ arguments: String...) throws -> RunningProgram {
    try RunningProgram("mysubguard-widget", ["--device", url.path] + arguments, in: url)
  }

  /// The stores that programs made here.
  func stores() throws -> [String] {
    guard let files = FileManager.default.enumerator(atPath: url.path) else { return [] }
    return files.compactMap { $0 as? String }.filter { $0.hasSuffix(".store") }
  }
}

/// Lends a new device directory; afterwards its stores must be sound, and it is removed.
func withDevice(_ body: (TestDevice) throws -> Void) throws {
  let url = FileManager.default.temporaryDirectory.appending(path: "mysubguard-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: url) } }
  let device = TestDevice(url: url)
  try body(device)
  for store in try device.stores() {
    let configuration = StoreConfiguration(url: url.appending(path: store), createsIfMissing: false)
    #expect(try RecordStore.open(configuration).integrityViolations() == [])
  }
}
