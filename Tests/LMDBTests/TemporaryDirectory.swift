import Foundation
import LMDB

/// An empty directory that goes away with its owner.
final class TemporaryDirectory {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("lmdb-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      fatalError("cannot remove the test directory \(path): \(error)")
    }
  }
}

/// Lends an environment that does not wait for the device, in a directory of its own.
func withEnvironment<Result>(
  _ configure: (inout Environment.Options) -> Void = { _ in },
  _ body: (Environment) throws -> Result
) throws -> Result {
  let directory = try TemporaryDirectory()
  defer { withExtendedLifetime(directory) {} }
  var options = Environment.Options()
  options.durability = .unsafeNoSync
  configure(&options)
  return try body(try Environment.open(at: directory.path, options: options))
}

/// The code of the LMDB error that `body` throws; nil when it throws none.
func errorCode(_ body: () throws -> Void) -> LMDBError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? LMDBError)?.code
  }
}

extension String {
  var bytes: [UInt8] { Array(utf8) }
}

extension RawBytes {
  var text: String { String(decoding: buffer, as: UTF8.self) }
}
