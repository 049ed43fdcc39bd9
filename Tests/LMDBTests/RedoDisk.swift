import Foundation
import LMDB

/// The files of an environment as a power cut could leave them: the data file as it was on the device at one moment,
/// with any of the sectors that were written since, and the redo log as a later moment left it.
struct RedoDisk {
  var data: Data
  /// Empty where there is none.
  var log: Data

  init(data: Data, log: Data) { (self.data, self.log) = (data, log) }

  init(of directory: TemporaryDirectory) throws {
    let folder = URL(fileURLWithPath: directory.path)
    data = try Data(contentsOf: folder.appendingPathComponent("data.mdb"))
    let log = folder.appendingPathComponent(Environment.redoLogName)
    self.log = FileManager.default.fileExists(atPath: log.path) ? try Data(contentsOf: log) : Data()
  }

  func write(to directory: TemporaryDirectory) throws {
    let folder = URL(fileURLWithPath: directory.path)
    try data.write(to: folder.appendingPathComponent("data.mdb"))
    if !log.isEmpty { try log.write(to: folder.appendingPathComponent(Environment.redoLogName)) }
  }

  /// With each sector of the data file from one of two moments.
  func mixed(withDataOf later: RedoDisk, _ random: inout some RandomNumberGenerator) -> RedoDisk {
    let sector = 512
    var mixed = self
    mixed.log = later.log
    mixed.data = Data()
    for start in stride(from: 0, to: later.data.count, by: sector) {
      let range = start..<min(start + sector, later.data.count)
      let isOld = range.upperBound <= data.count && Bool.random(using: &random)
      mixed.data.append(isOld ? data[range] : later.data[range])
    }
    return mixed
  }

  /// Whether the log begins with a record.
  var hasRecord: Bool { log.prefix(4) == Data("TRDO".utf8) }
}

/// Opens with a redo log.
func openLogged(
  _ directory: TemporaryDirectory, _ configure: (inout Environment.Options) -> Void = { _ in }
) throws -> Environment {
  var options = Environment.Options()
  options.keepsRedoLog = true
  configure(&options)
  return try Environment.open(at: directory.path, options: options)
}

extension Environment {
  /// Everything in the named databases that exist.
  func content(_ names: [String]) throws -> [String: [String: String]] {
    let databases = try databases(named: names)
    return try read { transaction in
      var content: [String: [String: String]] = [:]
      for (name, database) in zip(names, databases) {
        guard let database else { continue }
        var entries: [String: String] = [:]
        var cursor = try transaction.view.cursor(database)
        var found = try cursor.first()
        while let entry = found {
          entries[entry.key.text] = entry.value.text
          found = try cursor.next()
        }
        content[name] = entries
      }
      return content
    }
  }

  func put(_ key: String, _ value: String, in name: String = "people") throws {
    try write { transaction in
      let database = try transaction.createDatabase(named: name)
      try transaction.put(database, key: key.bytes, value: value.bytes)
    }
  }
}
