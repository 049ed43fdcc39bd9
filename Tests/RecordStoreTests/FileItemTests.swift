import Foundation
import TestSupport
import Testing

@testable import RecordStore

struct FileItemTests {
  @Test func `a directory, a file, what is neither, and nothing are told apart`() throws {
    try withDirectory { directory in
      let file = directory.appendingPathComponent("file")
      try Data([1, 2, 3]).write(to: file)
      #expect(try FileItem(at: directory.path) == .directory)
      #expect(try FileItem(at: file.path) == .file(byteCount: 3))
      #expect(try FileItem(at: "/dev/null") == .other)
      #expect(try FileItem(at: directory.path + "/none") == nil)
      #expect(try FileItem(at: file.path + "/below a file") == nil)
      let link = directory.appendingPathComponent("link")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: directory.appendingPathComponent("none"))
      #expect(try FileItem(at: link.path) == nil)
    }
  }

  /// A store was made where the system could not say whether one is there.
  @Test func `where the system cannot say what is there, nothing is made`() throws {
    try withDirectory { directory in
      let loop = directory.appendingPathComponent("loop.store")
      try FileManager.default.createSymbolicLink(at: loop, withDestinationURL: loop)
      #expect(throws: POSIXError(.ELOOP)) { try FileItem(at: loop.path) }
      var configuration = StoreConfiguration(url: loop)
      for isReadOnly in [false, true] {
        configuration.isReadOnly = isReadOnly
        let error = #expect(throws: StoreError.self) {
          try RecordStore.open(configuration, schema: .fixture)
        }
        #expect(error?.code == .inputOutput)
        #expect(error?.message.contains("cannot look at \(loop.path)") == true)
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["loop.store"])
    }
  }

  private func withDirectory(_ body: (URL) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().appendingPathComponent(
      "item-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    let outcome = Result { try body(directory) }
    try FileManager.default.removeItem(at: directory)
    try outcome.get()
  }
}
