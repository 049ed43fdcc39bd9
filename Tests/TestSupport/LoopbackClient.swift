import Foundation

/// One request to a server on this machine, for tests of servers: it sends exactly the bytes that it is given.
///
/// By the shell, whose sockets send a foreign `Host` or half a request as readily as a right one.
public final class LoopbackClient {
  /// An answer that has ended.
  public struct Response {
    public var status: Int
    /// By their names in small letters.
    public var headers: [String: String]
    public var body: String
  }

  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  private let process = Process()
  private let output = Pipe()
  private var unread: [UInt8] = []

  public init(port: Int, sending bytes: String) throws {
    // A file: a pipe to a shell that found no server would end this process.
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("request-\(UUID().uuidString)")
    try Data(bytes.utf8).write(to: file)
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(port) || exit 1; cat >&3; exec cat <&3"]
    process.standardInput = try FileHandle(forReadingFrom: file)
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    try FileManager.default.removeItem(at: file)
  }

  deinit {
    // A thread that blocks SIGTERM, as those of Dispatch do, passes that on to what it starts.
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// A whole request in HTTP/1.1. `headers` take the place of those that a client sends by itself.
  public static func request(
    _ method: String, _ path: String, port: Int, headers: [String: String] = [:], body: String = ""
  ) -> String {
    var all = ["Host": "127.0.0.1:\(port)", "Connection": "close", "Content-Length": "\(body.utf8.count)"]
    all.merge(headers) { $1 }
    let lines = all.sorted { $0.key < $1.key }.map { "\($0): \($1)\r\n" }
    return "\(method) \(path) HTTP/1.1\r\n\(lines.joined())\r\n\(body)"
  }

  /// Sends a request and waits for the end of its answer.
  public static func response(
    _ method: String, _ path: String, port: Int, headers: [String: String] = [:], body: String = ""
  ) throws -> Response {
    let bytes = request(method, path, port: port, headers: headers, body: body)
    return try LoopbackClient(port: port, sending: bytes).response()
  }

  /// The next line of the answer; nil at its end, or if none comes for a minute.
  public func line() -> String? {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread.removeSubrange(...end) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      var reading = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&reading, 1, 60_000) > 0 else { return nil }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      unread.append(contentsOf: more)
    }
  }

  private func response() throws -> Response {
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    guard let end = text.range(of: "\r\n\r\n") else {
      throw Failure(description: "the server's answer has no end of its head: \(text)")
    }
    let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
    guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw Failure(description: "the server's answer has no status: \(text)")
    }
    let headers = lines.dropFirst().compactMap { line -> (String, String)? in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      return (line[..<colon].lowercased(), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
    }
    return Response(
      status: status, headers: Dictionary(headers) { first, _ in first }, body: String(text[end.upperBound...]))
  }
}
