package io.fila.client;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;

import io.fila.protocol.v1.CancelMessageRequest;
import io.fila.protocol.v1.CancelMessageResponse;
import io.fila.protocol.v1.ChangeQueueRequest;
import io.fila.protocol.v1.ChangeQueueResponse;
import io.fila.protocol.v1.ConfigServiceGrpc.ConfigServiceStub;
import io.fila.protocol.v1.DeclareQueueResponse;
import io.fila.protocol.v1.DeleteConfigRequest;
import io.fila.protocol.v1.DeleteConfigResponse;
import io.fila.protocol.v1.DeleteQueueRequest;
import io.fila.protocol.v1.DeleteQueueResponse;
import io.fila.protocol.v1.GetBucketRequest;
import io.fila.protocol.v1.GetBucketResponse;
import io.fila.protocol.v1.GetConfigRequest;
import io.fila.protocol.v1.GetConfigResponse;
import io.fila.protocol.v1.GetMessageRequest;
import io.fila.protocol.v1.GetMessageResponse;
import io.fila.protocol.v1.GetQueueRequest;
import io.fila.protocol.v1.GetQueueResponse;
import io.fila.protocol.v1.GetThrottleRequest;
import io.fila.protocol.v1.GetThrottleResponse;
import io.fila.protocol.v1.ListConfigRequest;
import io.fila.protocol.v1.ListConfigResponse;
import io.fila.protocol.v1.ListMessagesResponse;
import io.fila.protocol.v1.ListQueuesRequest;
import io.fila.protocol.v1.ListQueuesResponse;
import io.fila.protocol.v1.ListThrottlesRequest;
import io.fila.protocol.v1.ListThrottlesResponse;
import io.fila.protocol.v1.MessageServiceGrpc.MessageServiceStub;
import io.fila.protocol.v1.PauseQueueRequest;
import io.fila.protocol.v1.PauseQueueResponse;
import io.fila.protocol.v1.PurgeQueueRequest;
import io.fila.protocol.v1.PurgeQueueResponse;
import io.fila.protocol.v1.PutConfigRequest;
import io.fila.protocol.v1.PutConfigResponse;
import io.fila.protocol.v1.QueueServiceGrpc.QueueServiceStub;
import io.fila.protocol.v1.RedriveQueueRequest;
import io.fila.protocol.v1.RedriveQueueResponse;
import io.fila.protocol.v1.ResumeQueueRequest;
import io.fila.protocol.v1.ResumeQueueResponse;
import io.fila.protocol.v1.ThrottleServiceGrpc.ThrottleServiceStub;
import io.grpc.stub.StreamObserver;
import org.jspecify.annotations.Nullable;

/** The administration of a {@link GrpcFilaClient}, on its connection. */
final class GrpcFilaAdmin implements FilaAdmin {

    /** For what takes as long as there are messages. */
    private static final Duration LONG = Duration.ofMinutes(5);

    private final UnaryCalls calls;

    GrpcFilaAdmin(UnaryCalls calls) {
        this.calls = calls;
    }

    @Override
    public boolean declare(QueueSpec queue) {
        DeclareQueueResponse response = queues(
                "declare queue '" + queue.name() + "'",
                (stub, answer) -> stub.declareQueue(ToProtocol.queue(queue), answer));
        return response.getCreated();
    }

    @Override
    public QueueDescription queue(String name) {
        GetQueueRequest request = GetQueueRequest.newBuilder().setQueue(name).build();
        GetQueueResponse response =
                queues("look at queue '" + name + "'", (stub, answer) -> stub.getQueue(request, answer));
        return QueuesFromProtocol.description(response.getQueue());
    }

    @Override
    public List<QueueDescription> queues() {
        ListQueuesResponse response = queues(
                "list queues", (stub, answer) -> stub.listQueues(ListQueuesRequest.getDefaultInstance(), answer));
        return response.getQueuesList().stream()
                .map(QueuesFromProtocol::description)
                .toList();
    }

    @Override
    public QueueSpec change(String name, QueueChange change) {
        ChangeQueueRequest request = ToProtocol.change(name, change);
        ChangeQueueResponse response =
                queues("change queue '" + name + "'", (stub, answer) -> stub.changeQueue(request, answer));
        return QueuesFromProtocol.settings(response.getQueue());
    }

    @Override
    public void pause(String name) {
        PauseQueueRequest request =
                PauseQueueRequest.newBuilder().setQueue(name).build();
        this.<PauseQueueResponse>queues(
                "pause queue '" + name + "'", (stub, answer) -> stub.pauseQueue(request, answer));
    }

    @Override
    public void resume(String name) {
        ResumeQueueRequest request =
                ResumeQueueRequest.newBuilder().setQueue(name).build();
        this.<ResumeQueueResponse>queues(
                "resume queue '" + name + "'", (stub, answer) -> stub.resumeQueue(request, answer));
    }

    @Override
    public long purge(String name) {
        PurgeQueueRequest request =
                PurgeQueueRequest.newBuilder().setQueue(name).build();
        PurgeQueueResponse response =
                queues("purge queue '" + name + "'", longest(), (stub, answer) -> stub.purgeQueue(request, answer));
        return response.getPurged();
    }

    @Override
    public void delete(String name, boolean force) {
        DeleteQueueRequest request =
                DeleteQueueRequest.newBuilder().setQueue(name).setForce(force).build();
        this.<DeleteQueueResponse>queues(
                "delete queue '" + name + "'", longest(), (stub, answer) -> stub.deleteQueue(request, answer));
    }

    @Override
    public RedriveResult redrive(String queue, int count, Reclassify reclassify) {
        if (count < 1) {
            throw new IllegalArgumentException("count is " + count + ", expected at least 1");
        }
        RedriveQueueRequest request = RedriveQueueRequest.newBuilder()
                .setQueue(queue)
                .setCount(count)
                .setReclassify(ToProtocol.reclassify(reclassify))
                .build();
        RedriveQueueResponse response = queues(
                "redrive queue '" + queue + "'", longest(), (stub, answer) -> stub.redriveQueue(request, answer));
        return QueuesFromProtocol.redriven(response);
    }

    @Override
    public StoredMessage message(String id) {
        GetMessageRequest request = GetMessageRequest.newBuilder().setId(id).build();
        GetMessageResponse response =
                messages("look at message " + id, (stub, answer) -> stub.getMessage(request, answer));
        return MessagesFromProtocol.message(response.getMessage());
    }

    @Override
    public Page messages(String queue, MessageQuery query) {
        ListMessagesResponse response = messages(
                "list messages of queue '" + queue + "'",
                (stub, answer) -> stub.listMessages(ToProtocol.query(queue, query), answer));
        return MessagesFromProtocol.page(response);
    }

    @Override
    public void cancel(String id) {
        cancelIn(null, id);
    }

    @Override
    public void cancel(String id, String queue) {
        cancelIn(Objects.requireNonNull(queue, "queue must not be null"), id);
    }

    private void cancelIn(@Nullable String queue, String id) {
        CancelMessageRequest.Builder request = CancelMessageRequest.newBuilder().setId(id);
        if (queue != null) {
            request.setQueue(queue);
        }
        this.<CancelMessageResponse>messages(
                "cancel message " + id, (stub, answer) -> stub.cancelMessage(request.build(), answer));
    }

    @Override
    public List<ThrottleStats> throttles() {
        ListThrottlesResponse response = throttles(
                "list throttles",
                (stub, answer) -> stub.listThrottles(ListThrottlesRequest.getDefaultInstance(), answer));
        return response.getThrottlesList().stream()
                .map(ThrottlesFromProtocol::stats)
                .toList();
    }

    @Override
    public ThrottleStats throttleStats(String name, TopBuckets topBuckets) {
        GetThrottleRequest request = GetThrottleRequest.newBuilder()
                .setThrottle(name)
                .setTopBuckets(topBuckets.count())
                .build();
        GetThrottleResponse response =
                throttles("look at throttle '" + name + "'", (stub, answer) -> stub.getThrottle(request, answer));
        return ThrottlesFromProtocol.stats(response.getThrottle());
    }

    @Override
    public BucketStats throttleBucket(String name, String... key) {
        GetBucketRequest request = GetBucketRequest.newBuilder()
                .setThrottle(name)
                .addAllKey(List.of(key))
                .build();
        GetBucketResponse response = throttles(
                "look at a bucket of throttle '" + name + "'", (stub, answer) -> stub.getBucket(request, answer));
        return ThrottlesFromProtocol.bucket(response.getBucket());
    }

    @Override
    public ConfigEntry putConfig(String key, String value) {
        PutConfigRequest request =
                PutConfigRequest.newBuilder().setKey(key).setValue(value).build();
        PutConfigResponse response =
                config("set configuration value '" + key + "'", (stub, answer) -> stub.putConfig(request, answer));
        return entry(response.getEntry());
    }

    @Override
    public ConfigEntry config(String key) {
        GetConfigRequest request = GetConfigRequest.newBuilder().setKey(key).build();
        GetConfigResponse response =
                config("read configuration value '" + key + "'", (stub, answer) -> stub.getConfig(request, answer));
        return entry(response.getEntry());
    }

    @Override
    public List<ConfigEntry> configs(String prefix) {
        ListConfigRequest request =
                ListConfigRequest.newBuilder().setPrefix(prefix).build();
        ListConfigResponse response =
                config("list configuration values", (stub, answer) -> stub.listConfig(request, answer));
        return response.getEntriesList().stream().map(GrpcFilaAdmin::entry).toList();
    }

    @Override
    public void deleteConfig(String key) {
        DeleteConfigRequest request =
                DeleteConfigRequest.newBuilder().setKey(key).build();
        this.<DeleteConfigResponse>config(
                "delete configuration value '" + key + "'", (stub, answer) -> stub.deleteConfig(request, answer));
    }

    private static ConfigEntry entry(io.fila.protocol.v1.ConfigEntry entry) {
        return new ConfigEntry(entry.getKey(), entry.getValue(), FromProtocol.instant(entry.getUpdatedAt()));
    }

    private Duration longest() {
        Duration timeout = calls.broker().requestTimeout();
        return timeout.compareTo(LONG) > 0 ? timeout : LONG;
    }

    private <A> A queues(String activity, BiConsumer<QueueServiceStub, StreamObserver<A>> method) {
        return queues(activity, calls.broker().requestTimeout(), method);
    }

    private <A> A queues(String activity, Duration timeout, BiConsumer<QueueServiceStub, StreamObserver<A>> method) {
        return Answers.await(calls.call(activity, timeout, calls.broker().queues(), method));
    }

    private <A> A throttles(String activity, BiConsumer<ThrottleServiceStub, StreamObserver<A>> method) {
        return Answers.await(calls.call(activity, calls.broker().throttles(), method));
    }

    private <A> A config(String activity, BiConsumer<ConfigServiceStub, StreamObserver<A>> method) {
        return Answers.await(calls.call(activity, calls.broker().config(), method));
    }

    private <A> A messages(String activity, BiConsumer<MessageServiceStub, StreamObserver<A>> method) {
        return Answers.await(calls.call(activity, calls.broker().messages(), method));
    }
}
