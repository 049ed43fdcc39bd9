package import Foundation

#if os(Linux)
  extension FileSystemKind {
    /// Nil when the system does not say.
    package init?(of url: URL) throws {
      let table = URL(fileURLWithPath: "/proc/self/mountinfo")
      guard FileManager.default.isReadableFile(atPath: table.path) else { return nil }
      let text = String(decoding: try Data(contentsOf: table), as: UTF8.self)
      self.init(path: Self.existingPath(of: url), mounts: text)
    }

    /// The last mount that covers the path in the text of `mountinfo` (man 5 proc): the fifth field is the mount
    /// point, the first after a lone hyphen the kind.
    init?(path: String, mounts: String) {
      var best: (point: String, kind: String)?
      // By bytes, for the table has dozens of lines and is read at each opening: to look for characters costs far more.
      for line in mounts.utf8.split(separator: UInt8(ascii: "\n")) {
        let fields = line.split(separator: UInt8(ascii: " "))
        guard fields.count > 4, let hyphen = fields.firstIndex(where: { $0.elementsEqual("-".utf8) }),
          hyphen + 1 < fields.count
        else { continue }
        let point = Self.unescaped(fields[4])
        guard Self.covers(point, path), point.utf8.count >= best?.point.utf8.count ?? 0 else { continue }
        best = (point, String(Substring(fields[hyphen + 1])))
      }
      guard let best else { return nil }
      self.init(name: best.kind)
    }

    private static func covers(_ point: String, _ path: String) -> Bool {
      point == "/" || path == point || path.hasPrefix(point + "/")
    }

    /// The kernel writes blanks and backslashes as three octal digits.
    private static func unescaped(_ field: Substring.UTF8View) -> String {
      let text = String(Substring(field))
      guard field.contains(UInt8(ascii: "\\")) else { return text }
      return
        text
        .replacing("\\040", with: " ").replacing("\\011", with: "\t")
        .replacing("\\012", with: "\n").replacing("\\134", with: "\\")
    }
  }
#else
  extension FileSystemKind {
    /// Nil when the system does not say.
    package init?(of url: URL) throws {
      var status = statfs()
      guard statfs(Self.existingPath(of: url), &status) == 0 else { return nil }
      let name = withUnsafeBytes(of: status.f_fstypename) { Array($0.prefix { $0 != 0 }) }
      self.init(name: String(decoding: name, as: UTF8.self))
    }
  }
#endif
