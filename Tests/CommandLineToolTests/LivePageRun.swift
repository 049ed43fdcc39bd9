import Foundation
import StoreInspection
import TestSupport
import Testing

/// A running `tandem serve`, and questions to it as its page asks them.
struct LivePageRun {
  let process: RunningTandem
  let address: String
  let port: Int
  let token: String

  init(_ arguments: String..., tandem: Tandem = Tandem()) throws {
    process = try tandem.start(arguments: ["serve"] + arguments)
    address = try #require(process.line(), "the command ended before it printed an address")
    let components = try #require(URLComponents(string: address), "\(address)")
    #expect(components.scheme == "http" && components.host == "127.0.0.1" && components.path == "/")
    port = try #require(components.port)
    let fragment = try #require(components.fragment)
    #expect(fragment.hasPrefix("token="))
    token = String(fragment.dropFirst("token=".count))
  }

  var right: [String: String] {
    ["Authorization": "Bearer \(token)", "Content-Type": "application/json"]
  }

  func response(
    _ name: String, _ question: JSON = .object([]), headers: [String: String] = [:]
  ) throws -> (status: Int, json: JSON) {
    let response = try LoopbackClient.response(
      "POST", "/api/\(name)", port: port, headers: right.merging(headers) { $1 }, body: question.description)
    return (response.status, try JSON(parsing: response.body))
  }

  /// The answer to a question that is answered.
  func ask(_ name: String, _ question: JSON = .object([])) throws -> JSON {
    let (status, json) = try response(name, question)
    #expect(status == 200, "\(name): \(json)")
    return json
  }

  /// The sentence by which a question is refused.
  func refusal(_ name: String, _ question: JSON) throws -> String {
    let (status, json) = try response(name, question)
    #expect(status == 422, "\(name): \(json)")
    return json["error"]?.stringValue ?? ""
  }

  /// A stream of events that is open when this returns.
  func events() throws -> LoopbackClient {
    let headers = right.merging(["Connection": "keep-alive"]) { $1 }
    let request = LoopbackClient.request("GET", "/api/events", port: port, headers: headers)
    let client = try LoopbackClient(port: port, sending: request)
    while let line = client.line(), !line.contains(": connected") {}
    return client
  }
}

extension LoopbackClient {
  /// The next event that is as asked; nil where the stream ends before.
  func event(where isMet: (JSON) -> Bool) throws -> JSON? {
    while let line = line() {
      guard line.hasPrefix("data: ") else { continue }
      let event = try JSON(parsing: line.dropFirst("data: ".count).trimmingCharacters(in: .whitespacesAndNewlines))
      if isMet(event) { return event }
    }
    return nil
  }
}
