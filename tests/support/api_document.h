// The document of a running server, as those who test by it read it: its operations, and what is
// wrong with an answer.
#pragma once

#include "support/http_client.h"
#include "support/json_schema.h"

#include <optional>
#include <string>
#include <vector>

namespace relayer::test
{
struct Operation
{
    std::string method;  // in upper case
    std::string path;    // with {job_id} in it
    const Json::Value *about = nullptr;

    [[nodiscard]] std::string id() const { return (*about)["operationId"].asString(); }
    // With a job in it.
    [[nodiscard]] std::string pathTo(const std::string &jobId) const;
    [[nodiscard]] const Json::Value &body() const
    {
        return (*about)["requestBody"]["content"]["application/json"];
    }
    [[nodiscard]] const Json::Value &answer(int status) const
    {
        return (*about)["responses"][std::to_string(status)];
    }
};

class ApiDocument
{
  public:
    explicit ApiDocument(const std::string &text);

    [[nodiscard]] const JsonSchemas &schemas() const { return schemas_; }
    [[nodiscard]] const std::vector<Operation> &operations() const { return operations_; }
    [[nodiscard]] const Operation &operation(const std::string &id) const;

    // Against what is documented of this operation: the status, the type, the body, the headers.
    [[nodiscard]] std::vector<std::string> problems(const Operation &operation,
                                                    const HttpReply &reply) const;

  private:
    const JsonSchemas schemas_;
    std::vector<Operation> operations_;
};
}  // namespace relayer::test
