import Foundation
import HelperProcess
import TestSupport
import Testing

/// How much memory an exchange of a large value takes, in a process of its own.
struct LargeValueMemoryTests {
  /// Nothing of the size of the value is the process's own memory, on neither side.
  @Test(arguments: ["clear", "sealed", "transport"])
  func `an exchange of a large value takes little memory`(form: String) throws {
    let (size, bound) = TestLength.isLong ? (1 << 30, 64 << 20) : (96 << 20, 24 << 20)
    let folder = FileManager.default.temporaryDirectory.appending(path: "exchange-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let outcome = Result {
      let file = folder.appending(path: "value")
      #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
      let handle = try FileHandle(forWritingTo: file)
      try handle.truncate(atOffset: UInt64(size))
      try handle.close()
      let helper = try HelperProcess("exchange-large-value", folder.path, file.path, form)
      for side in ["author", "receiver"] {
        let grown = try #require(try helper.line().flatMap { Int($0) })
        #expect(grown < bound, "\(side)")
      }
      #expect(try helper.finish() == 0)
    }
    try FileManager.default.removeItem(at: folder)
    try outcome.get()
  }
}
