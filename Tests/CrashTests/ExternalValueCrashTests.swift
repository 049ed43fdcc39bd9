import Foundation
import HelperProcess
import TestSupport
import Testing

/// Large values beside a store, when processes end, compete, or have little memory.
@Suite(.serialized) struct ExternalValueCrashTests {
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "values-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let outcome = Result { try body(folder) }
    try FileManager.default.removeItem(at: folder)
    try outcome.get()
  }

  private func audit(_ store: String, _ serials: String...) throws -> String? {
    let helper = try HelperProcess(arguments: ["audit-values", store] + serials)
    let found = try helper.line()
    #expect(try helper.finish() == 0)
    return found
  }

  /// While the file is written, before and after it has its name, before and after the commit.
  @Test func `a save of a large value that is killed is there whole or not at all`() throws {
    try withFolder { folder in
      let store = folder.appending(path: "v.store").path
      var (step, last, isDone) = (0, "none", false)
      while !isDone {
        let (old, new) = ("\(2 * step)", "\(2 * step + 1)")
        // A value before it, which must stay if the new one does not come.
        let first = try HelperProcess("die-saving-value", store, old, "1000")
        try first.expect("saved")
        #expect(try first.finish() == 0)
        isDone = try HelperProcess("die-saving-value", store, new, "\(step)").finish() == 0
        last = try #require(try audit(store, old, new))
        #expect(last == (isDone ? new : last) && [old, new].contains(last))
        step += 1
      }
      // The two points of a file's way, and those around the commit.
      #expect(step > 4)
    }
  }

  @Test func `processes that save the same values while each clears away keep what they saved`() throws {
    try withFolder { folder in
      let store = folder.appending(path: "v.store").path
      let writers = try (1...2).map {
        try HelperProcess("save-values", store, "\($0)", TestLength.isLong ? "2000" : "40")
      }
      for writer in writers { try writer.expect("saving") }
      for writer in writers { #expect(try writer.finish() == 0) }
      #expect(try audit(store, "0", "1", "2", "3", "4", "5", "6", "7", "8", "9") != "none")
    }
  }

  /// Nothing of the size of the value is the process's own memory: it is read from its file and written in pieces.
  @Test func `a save of a large value takes little memory`() throws {
    let (size, bound) = TestLength.isLong ? (1 << 30, 64 << 20) : (96 << 20, 24 << 20)
    try withFolder { folder in
      let file = folder.appending(path: "value")
      #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
      let handle = try FileHandle(forWritingTo: file)
      try handle.truncate(atOffset: UInt64(size))
      try handle.close()
      let helper = try HelperProcess("save-large-value", folder.appending(path: "v.store").path, file.path)
      let grown = try #require(try helper.line().flatMap { Int($0) })
      #expect(try helper.finish() == 0)
      #expect(grown < bound)
    }
  }
}
