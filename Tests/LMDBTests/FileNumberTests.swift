import Foundation
import TestSupport
import Testing

@testable import LMDB

struct FileNumberTests {
  /// Found without a look at the file's times, which `stat` takes along.
  @Test(arguments: ["a file", "/dev/null", "/proc/self/status"])
  func `a file has the device and the number that the system tells`(name: String) throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let path = name.hasPrefix("/") ? name : folder.path + "/" + name
    if path != name { try Data().write(to: URL(fileURLWithPath: path)) }
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    let file = try #require(try EnvironmentIdentity.File(path: path))
    #expect(file.inode == (attributes[.systemFileNumber] as? NSNumber)?.uint64Value)
    #expect(file.device == (attributes[.systemNumber] as? NSNumber)?.uint64Value)
    #expect(try EnvironmentIdentity.File(path: folder.path + "/none") == nil)
  }
}
