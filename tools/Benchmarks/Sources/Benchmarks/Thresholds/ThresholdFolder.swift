import Foundation

/// The folder of the files of thresholds.
struct ThresholdFolder {
  let url: URL

  func read<Thresholds: Decodable>(_ type: Thresholds.Type, _ name: String) throws -> Thresholds {
    let file = url.appending(path: name)
    guard FileManager.default.fileExists(atPath: file.path) else {
      throw BenchmarkError("\(file.path) is not there: '--keep' writes it")
    }
    do {
      return try JSONDecoder().decode(type, from: Data(contentsOf: file))
    } catch {
      throw BenchmarkError("\(file.path) cannot be read: \(error)")
    }
  }

  /// Nil where there is no such file yet.
  func readIfThere<Thresholds: Decodable>(_ type: Thresholds.Type, _ name: String) throws -> Thresholds? {
    guard FileManager.default.fileExists(atPath: url.appending(path: name).path) else { return nil }
    return try read(type, name)
  }

  /// Makes the folder, and throws where nothing can be written: before minutes of measuring rather than after.
  func prepare() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    try url.appending(path: RatioThresholds.fileName).expectWritable()
  }

  func write(_ thresholds: some Encodable, _ name: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try (encoder.encode(thresholds) + Data("\n".utf8)).write(to: url.appending(path: name))
  }
}

extension URL {
  /// Throws where a file of this name cannot be written.
  func expectWritable() throws {
    let folder = deletingLastPathComponent()
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    guard FileManager.default.isWritableFile(atPath: exists ? path : folder.path), !isFolder.boolValue else {
      throw BenchmarkError("\(path) cannot be written: is its folder there, and no folder of that name?")
    }
  }
}
