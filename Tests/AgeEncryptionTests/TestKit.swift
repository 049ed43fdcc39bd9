import Foundation
import HelperProcess

/// The public test vectors of the format, where they lie beside the project's folder.
struct TestKit {
  struct Vector: Sendable, CustomStringConvertible {
    var name: String
    private(set) var facts: [String: [String]] = [:]
    private(set) var file: [UInt8] = []
    var description: String { name }

    init(_ url: URL) throws {
      name = url.lastPathComponent
      var rest = Array(try Data(contentsOf: url))[...]
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: rest[..<end], as: UTF8.self)
        rest = rest[(end + 1)...]
        guard let colon = line.firstRange(of: ": ") else { break }
        facts[String(line[..<colon.lowerBound]), default: []].append(String(line[colon.upperBound...]))
      }
      file = Array(rest)
    }

    /// Armour in text and recipients of other kinds are not built.
    var isOfWhatIsBuilt: Bool {
      facts["armored"] == nil && !name.hasPrefix("armor") && !name.hasPrefix("hybrid")
    }

    /// Some lie there packed; nil where the machine has nothing that unpacks them.
    func unpacked() throws -> [UInt8]? {
      guard facts["compressed"] != nil else { return file }
      let place = FileManager.default.temporaryDirectory.appending(path: "age-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: place) }
      try Data(file).write(to: place)
      let program =
        "import sys, zlib; p = sys.argv[1]; d = zlib.decompress(open(p, 'rb').read()); open(p, 'wb').write(d)"
      guard try MachineCommand(["python3", "-c", program, place.path]).status == 0 else { return nil }
      return Array(try Data(contentsOf: place))
    }
  }

  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../shared/reference/age-testkit").standardizedFileURL

  static var isThere: Bool { FileManager.default.fileExists(atPath: folder.path) }

  static func vectors() throws -> [Vector] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .sorted { $0.lastPathComponent < $1.lastPathComponent }.map(Vector.init)
  }
}
