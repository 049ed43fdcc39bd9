import Foundation
import RecordStore
import Testing

@testable import SQLiteBridge

/// A signal discards a file on one thread while another goes on with the work.
struct DiscardedFileTests {
  /// Between the removal and the end of the process the work made the file anew, and it stayed.
  @Test func `a file that was discarded before its writer opened it stays away`() throws {
    let writers: [(URL) throws -> Void] = [
      { _ = try SQLiteConnection.filling($0.path) }, { _ = try TextFile(filling: $0) },
    ]
    try SQLiteFixture.with { fixture in
      for write in writers {
        let file = try PartialFile(fixture.folder.appendingPathComponent("out"), replacing: false)
        #expect(throws: BridgeError.self) {
          try file.write { url in
            file.discard()
            defer { #expect(!FileManager.default.fileExists(atPath: url.path)) }
            try write(url)
          }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path) == [])
      }
    }
  }
}
