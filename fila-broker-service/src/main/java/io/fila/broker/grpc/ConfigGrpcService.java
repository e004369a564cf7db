package io.fila.broker.grpc;

import io.fila.broker.script.ConfigValues;
import io.fila.protocol.v1.ConfigEntry;
import io.fila.protocol.v1.ConfigServiceGrpc.ConfigServiceImplBase;
import io.fila.protocol.v1.DeleteConfigRequest;
import io.fila.protocol.v1.DeleteConfigResponse;
import io.fila.protocol.v1.GetConfigRequest;
import io.fila.protocol.v1.GetConfigResponse;
import io.fila.protocol.v1.ListConfigRequest;
import io.fila.protocol.v1.ListConfigResponse;
import io.fila.protocol.v1.PutConfigRequest;
import io.fila.protocol.v1.PutConfigResponse;
import io.grpc.stub.StreamObserver;
import org.springframework.grpc.server.service.GrpcService;

/** The configuration of scripts over gRPC. */
@GrpcService
class ConfigGrpcService extends ConfigServiceImplBase {

    private final ConfigValues config;
    private final BlockingCalls calls;

    ConfigGrpcService(ConfigValues config, BlockingCalls administration) {
        this.config = config;
        this.calls = administration;
    }

    @Override
    public void putConfig(PutConfigRequest request, StreamObserver<PutConfigResponse> answer) {
        calls.answer(
                answer,
                () -> PutConfigResponse.newBuilder()
                        .setEntry(entry(config.put(request.getKey(), request.getValue())))
                        .build());
    }

    @Override
    public void getConfig(GetConfigRequest request, StreamObserver<GetConfigResponse> answer) {
        calls.answer(
                answer,
                () -> GetConfigResponse.newBuilder()
                        .setEntry(entry(config.get(request.getKey())))
                        .build());
    }

    @Override
    public void listConfig(ListConfigRequest request, StreamObserver<ListConfigResponse> answer) {
        calls.answer(answer, () -> {
            ListConfigResponse.Builder response = ListConfigResponse.newBuilder();
            config.list(request.getPrefix()).forEach(one -> response.addEntries(entry(one)));
            return response.build();
        });
    }

    @Override
    public void deleteConfig(DeleteConfigRequest request, StreamObserver<DeleteConfigResponse> answer) {
        calls.answer(answer, () -> {
            config.delete(request.getKey());
            return DeleteConfigResponse.getDefaultInstance();
        });
    }

    private static ConfigEntry entry(io.fila.broker.script.ConfigEntry entry) {
        return ConfigEntry.newBuilder()
                .setKey(entry.key())
                .setValue(entry.value())
                .setUpdatedAt(ToProtocol.timestamp(entry.updatedAt()))
                .build();
    }
}
