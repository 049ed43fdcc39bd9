import Foundation

/// The folder of the files of thresholds.
struct ThresholdFolder {
  let url: URL

  func read<Thresholds: Decodable>(_ type: Thresholds.Type, _ name: String) throws -> Thresholds {
    let file = url.appending(path: name)
    guard let data = FileManager.default.contents(atPath: file.path) else {
      throw BenchmarkError("\(file.path) is not there: '--keep' writes it")
    }
    return try JSONDecoder().decode(type, from: data)
  }

  /// Nil where there is no such file yet.
  func readIfThere<Thresholds: Decodable>(_ type: Thresholds.Type, _ name: String) throws -> Thresholds? {
    guard FileManager.default.fileExists(atPath: url.appending(path: name).path) else { return nil }
    return try read(type, name)
  }

  func write(_ thresholds: some Encodable, _ name: String) throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try (encoder.encode(thresholds) + Data("\n".utf8)).write(to: url.appending(path: name))
  }
}
