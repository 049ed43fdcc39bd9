import Dispatch
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import StoreInspection

/// Answers one request. What the guard does not admit learns nothing, not even what there is.
struct PageResponder: HTTPResponder {
  typealias Context = BasicRequestContext

  let gate: RequestGuard
  let hub: EventHub
  let routes: [String: PageRoute]
  let isReadOnly: Bool
  /// Work that blocks, such as on a store's lock, must not hold the threads that all connections share.
  private let queue = DispatchQueue(label: "tandem.page", attributes: .concurrent)

  private static let mostBodyBytes = 1 << 20

  init(gate: RequestGuard, hub: EventHub, routes: [PageRoute], isReadOnly: Bool) {
    (self.gate, self.hub, self.isReadOnly) = (gate, hub, isReadOnly)
    self.routes = Dictionary(routes.map { ($0.name, $0) }) { first, _ in first }
  }

  func respond(to request: Request, context: Context) async throws -> Response {
    do {
      try gate.admit(request.head)
      return try await answer(request)
    } catch let refusal as PageRefusal {
      return json(["error": .string(refusal.message)], status: refusal.status)
    }
  }

  private func answer(_ request: Request) async throws -> Response {
    let path = request.uri.path
    switch request.method {
    case .get where path == "/": return page()
    case .get where path == "/api/events":
      try gate.requireToken(request.head)
      return response("text/event-stream", try EventStream.body(of: hub))
    case .post where path.hasPrefix("/api/"):
      try gate.requireToken(request.head)
      return try await call(String(path.dropFirst("/api/".count)), request)
    case .get, .post: throw PageRefusal("there is nothing at \(path)", status: .notFound)
    default: throw PageRefusal("only GET and POST are answered", status: .methodNotAllowed)
    }
  }

  private func call(_ name: String, _ request: Request) async throws -> Response {
    guard let route = routes[name] else { throw PageRefusal("there is no question '\(name)'", status: .notFound) }
    if route.kind == .writing, isReadOnly {
      throw PageRefusal(
        "the page is read-only; start 'tandem serve' with --read-write to change anything", status: .forbidden)
    }
    // Forms of other pages cannot send this type without being asked for leave first.
    guard request.headers[.contentType]?.lowercased().hasPrefix("application/json") ?? false else {
      throw PageRefusal("the question is no JSON; send it as application/json", status: .unsupportedMediaType)
    }
    let question = try await question(in: request)
    return json(try await blocking { try route.answer(question) })
  }

  private func question(in request: Request) async throws -> JSON {
    if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > PageResponder.mostBodyBytes {
      throw PageResponder.tooLarge
    }
    let bytes: ByteBuffer
    do {
      bytes = try await request.body.collect(upTo: PageResponder.mostBodyBytes)
    } catch is NIOTooManyBytesError {
      throw PageResponder.tooLarge
    }
    guard let text = String(validating: bytes.readableBytesView, as: UTF8.self) else {
      throw PageRefusal("the question is no UTF-8", status: .badRequest)
    }
    let question: JSON
    do {
      question = try JSON(parsing: text)
    } catch {
      throw PageRefusal("the question is no JSON: \(error)", status: .badRequest)
    }
    guard question.objectValue != nil else {
      throw PageRefusal("the question is no JSON object", status: .badRequest)
    }
    return question
  }

  private static let tooLarge = PageRefusal(
    "the question is larger than \(mostBodyBytes >> 20) MiB; change such values with 'tandem edit'",
    status: .contentTooLarge)

  private func blocking(_ body: @escaping @Sendable () throws -> JSON) async throws -> JSON {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result(catching: body)) }
    }
  }
}

// Responses.
extension PageResponder {
  private func page() -> Response {
    let text = PageText(nonce: AccessToken().text)
    var response = response("text/html; charset=utf-8", ResponseBody(byteBuffer: ByteBuffer(string: text.html)))
    response.headers[.contentSecurityPolicy] = text.policy
    return response
  }

  private func json(_ json: JSON, status: HTTPResponse.Status = .ok) -> Response {
    response("application/json", ResponseBody(byteBuffer: ByteBuffer(string: json.description)), status: status)
  }

  /// Nothing is kept by the browser, told to other pages or taken for something else than it is.
  private func response(_ type: String, _ body: ResponseBody, status: HTTPResponse.Status = .ok) -> Response {
    var headers: HTTPFields = [
      .contentType: type, .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
      .contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
    ]
    for (name, value) in PageResponder.isolation { headers[name] = value }
    return Response(status: status, headers: headers, body: body)
  }

  private static let isolation: [(HTTPField.Name, String)] = [
    (HTTPField.Name("Referrer-Policy")!, "no-referrer"), (HTTPField.Name("X-Frame-Options")!, "DENY"),
    (HTTPField.Name("Cross-Origin-Opener-Policy")!, "same-origin"),
    (HTTPField.Name("Cross-Origin-Resource-Policy")!, "same-origin"),
  ]
}
